// The contents mark where the reader is. A link to something folded opens it, as
// not every browser does by itself.
(() => {
  const contents = document.getElementById("contents");
  const linkTo = new Map([...contents.querySelectorAll("a")].map(a => [document.getElementById(a.hash.slice(1)), a]));
  const inView = new Set();

  function mark() {
    const here = [...linkTo.keys()].findLast(e => inView.has(e));
    if (!here) return;
    for (const [e, a] of linkTo) {
      a.parentElement.classList.toggle("reading", e === here || e.contains(here));
      if (e === here) a.setAttribute("aria-current", "location"); else a.removeAttribute("aria-current");
    }
    document.querySelector(".here").textContent = linkTo.get(here.closest("section.section")).textContent;
    const link = linkTo.get(here), top = link.offsetTop - contents.offsetTop;
    if (top < contents.scrollTop || top > contents.scrollTop + contents.clientHeight - 60) contents.scrollTop = top - 60;
  }
  const observer = new IntersectionObserver(entries => {
    for (const e of entries) e.isIntersecting ? inView.add(e.target) : inView.delete(e.target);
    mark();
  }, { rootMargin: "-20% 0px -79% 0px" });
  for (const e of linkTo.keys()) observer.observe(e);

  contents.addEventListener("click", e => { if (e.target.closest("a") && contents.matches(":popover-open")) contents.hidePopover(); });

  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let d = target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    target.querySelector(":scope > details")?.setAttribute("open", "");
    target.scrollIntoView();
  }
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
  contents.classList.add("marked");
})();
