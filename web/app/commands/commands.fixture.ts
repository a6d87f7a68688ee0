import type { Command } from '../../page/page.ts';
import { TRACE_COMMANDS } from './commands.ts';
import { MORE_COMMANDS } from './more_commands.ts';
import { PAGE_COMMANDS } from './page_commands.ts';

/** All commands but those of features. */
export const COMMANDS: readonly Command[] = [...PAGE_COMMANDS, ...TRACE_COMMANDS, ...MORE_COMMANDS];
