// What is wider than its box can be scrolled by keys: it takes the focus then, and only then.
(() => {
  const boxes = document.querySelectorAll(".scroll");
  const sized = new ResizeObserver((changes) => {
    for (const { target } of changes) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }
  });
  for (const box of boxes) sized.observe(box);
})();
