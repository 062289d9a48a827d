// A browser never forgets a module: the same code is loaded once a page, however often its cell is run.
const loaded = (globalThis.bfloExplorers ??= new Map());

export default {
  async render(view) {
    const code = view.model.get("_code");
    if (!loaded.has(code)) {
      const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      loaded.set(code, import(address).finally(() => URL.revokeObjectURL(address)));
    }
    return (await loaded.get(code)).default.render(view);
  },
};
