"""Links that leave docs/: on the site they lead to the repository, or are plain text while mkdocs.yml has no repo_url."""

import posixpath
import re

link = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, **_):
    folder = posixpath.dirname(page.file.src_uri)

    def rewrite(found):
        text, target, anchor = found.groups(default="")
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        if path.startswith("docs/"):
            return found[0]
        return f"[{text}]({config.repo_url}/blob/HEAD/{path}{anchor})" if config.repo_url else text

    return link.sub(rewrite, markdown)
