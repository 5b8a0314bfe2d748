import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'

/**
 * `market completion SHELL` prints a script for that shell, which asks this program for the words:
 * call it last, since it reads the commands and options that are there.
 */
export const addCompletion = (program: Command): void =>
  void tab(program, { completionCommandName: 'completion' })
