import { beginFile } from './playwright.ts';

// Modules are those of the file before.
beginFile();
