"""The examples pass the conformance suite, where the packages that they import are there."""

import contextlib
import importlib.util
import io
import sys
import unittest
from pathlib import Path

from dgsbench.check.__main__ import main

FOLDER = Path(__file__).parent.parent / "examples"
NEEDED = {"logistic": [], "boosted": ["lightgbm"], "recurrent": ["torch"], "sprints": ["torch"], "dgs": ["torch"], "tgn": ["torch", "torch_geometric"]}


class Examples(unittest.TestCase):
    def test_all_are_listed(self):
        self.assertEqual({path.stem for path in FOLDER.glob("*.py")}, set(NEEDED))

    def test_they_pass(self):
        for name, packages in NEEDED.items():
            with self.subTest(name):
                if missing := [p for p in packages if importlib.util.find_spec(p) is None]:
                    self.skipTest(f"needs {', '.join(missing)}")
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    status = main(["--", sys.executable, str(FOLDER / f"{name}.py")])
                self.assertEqual(status, 0, out.getvalue())


if __name__ == "__main__":
    unittest.main()
