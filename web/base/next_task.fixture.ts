/** Lets everything that waits for settled promises go on. For tests. */
export const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve));
