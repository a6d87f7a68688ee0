import type { Feature } from '../../page/page.ts';
import { ExportButton } from './export_button.tsx';

/** Saves a trace, a part of it, or a picture. */
export const EXPORT: Feature = { button: ExportButton };
