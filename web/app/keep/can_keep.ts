import { ONE_FILE } from '../../base/one_file.ts';

/** Whether this browser can keep copies of files: it has private files of the origin, in secure contexts only. */
export function canKeep(): boolean {
  const { storage } = navigator as Partial<Navigator>;
  return !ONE_FILE && typeof storage?.getDirectory === 'function';
}
