/** Whether this browser can keep copies of files: it has private files of the origin, and gives them to this page. */
export function canKeep(): boolean {
  return isSecureContext && typeof navigator.storage?.getDirectory === 'function';
}
