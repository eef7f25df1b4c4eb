"""README.md is the first page of the site. Links that leave docs/ lead to the repository, or are plain text while mkdocs.yml has no repo_url."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

link = re.compile(r"\[([^\]]*)\]\(([^)#:\s]+)(#[^)\s]*)?\)")
INDEX = "docs/README.md"  # what a repository shows of the folder, and the site has beside its pages


def on_files(files, config):
    front = Path(config.config_file_path).with_name("README.md").read_text()
    front = link.sub(lambda found: found[0].replace(f"]({found[2]}", f"]({posixpath.relpath(found[2], 'docs')}"), front)
    files.append(File.generated(config, "index.md", content=front))


def on_page_markdown(markdown, page, config, **_):
    folder = posixpath.dirname(page.file.src_uri)

    def rewrite(found):
        text, target, anchor = found.groups(default="")
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if path.startswith("docs/") and path != INDEX:
            return found[0]
        return f"[{text}]({config.repo_url}/blob/HEAD/{path}{anchor})" if config.repo_url else text

    return link.sub(rewrite, markdown)
