"""Prose that may become part of a message."""

from pathlib import Path

from tests.support.mined import build_catalog
from whyraise.lookup.explain import explain
from whyraise.mine.fragments import fragments
from whyraise.mine.mine import mine
from whyraise.mine.raises import raises
from whyraise.mine.scopes import read_module
from whyraise.mine.targets import source_files

SOURCE = '''
class Strategy:
    def on_exception(self, error):
        _augment(error, new=("It looks like some parameters were never used: find them and "
                             f"leave {self.names} out of the loss."))

    def documented(self):
        """This is documentation of many words and no message."""
        raise ValueError("this text is known already as a message")
'''


def test_prose_that_may_be_part_of_a_message_becomes_a_fragment() -> None:
    tree, module = read_module(SOURCE, "thing/strategy.py")
    known = list(raises(tree, module))
    found = [(fragment.template[0], fragment.function) for fragment in fragments(module, known)]
    assert found == [("It looks like some parameters were never used: find them and leave ", "Strategy.on_exception")]


def test_a_fragment_is_possible_alone_and_likely_with_its_file_or_package(tmp_path: Path) -> None:
    (tmp_path / "thing").mkdir()
    (tmp_path / "thing/strategy.py").write_text(SOURCE, "utf-8")
    catalog = build_catalog(mine(source_files(str(tmp_path), tmp_path)), tmp_path)
    message = "RuntimeError: It looks like some parameters were never used: find them and leave head out of the loss.\n"
    for name, confidence in (
        ("thing/strategy.py", "likely"),
        ("thing/other.py", "likely"),
        ("else/where.py", "possible"),
    ):
        frame = f'  File "/x/site-packages/{name}", line 4, in on_exception\n    _augment(error)\n'
        findings = explain(f"Traceback (most recent call last):\n{frame}{message}", catalog).findings
        assert [finding.confidence for finding in findings] == [confidence], name
