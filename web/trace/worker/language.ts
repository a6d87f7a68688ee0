/** The module of the filter language. */
export type Language = typeof import('../../worker/wasm/unspool_find.js');

/** A loader of the filter language: the first call fetches the module, later ones share it. A failure is not kept. */
export function createLanguageLoader(): () => Promise<Language> {
  let loaded: Promise<Language> | null = null;
  return () => {
    loaded ??= import('../../worker/wasm/unspool_find.js').then(async (module) => {
      await module.default();
      return module;
    });
    loaded.catch(() => {
      loaded = null;
    });
    return loaded;
  };
}
