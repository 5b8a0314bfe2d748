import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'

const MAIN = path.resolve(import.meta.dirname, '../../../demo/main.ts')

export interface DemoRun {
  code: number | null
  stdout: string
  stderr: string
}

/** The demo in a process of its own, as `npm run demo` starts it. */
export async function runDemo(
  args: readonly string[] = [],
  variables: NodeJS.ProcessEnv = process.env,
): Promise<DemoRun> {
  return await startDemo(args, variables).ended
}

/** It has not ended yet. */
export function startDemo(args: readonly string[], variables: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...args], {
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const ended = said.then(async ([stdout, stderr]): Promise<DemoRun> => {
    const [code] = await closed
    return { code, stdout, stderr }
  })
  return { child, ended }
}

/** The values next to a name, in order: `valuesOf(run, 'state')`. */
export const valuesOf = ({ stdout }: DemoRun, name: string): string[] =>
  [...stdout.matchAll(/^ {6}.{8}(\S+) +(\S.*)$/gm)].flatMap(([, found, value = '']) =>
    found === name ? [value] : [],
  )
