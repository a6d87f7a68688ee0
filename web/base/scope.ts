/** Releases a resource; called once. */
export type Dispose = () => void;

/** An owner of resources. Disposing it releases them, the last one first. */
export interface Scope {
  /** Takes ownership of a resource. A disposed scope releases it at once. */
  add(dispose: Dispose): void;
  /** Listens until the scope is disposed. */
  listen<T extends Event>(
    target: EventTarget,
    type: string,
    listener: (event: T) => void,
    options?: AddEventListenerOptions,
  ): void;
  dispose(): void;
}

/** A new, empty scope. */
export function createScope(): Scope {
  const owned: Dispose[] = [];
  let disposed = false;
  const add = (dispose: Dispose) => {
    if (disposed) dispose();
    else owned.push(dispose);
  };
  return {
    add,
    listen: (target, type, listener, options) => {
      const handler = (event: Event) => listener(event as Parameters<typeof listener>[0]);
      target.addEventListener(type, handler, options);
      add(() => target.removeEventListener(type, handler, options));
    },
    dispose: () => {
      disposed = true;
      for (let next = owned.pop(); next !== undefined; next = owned.pop()) next();
    },
  };
}
