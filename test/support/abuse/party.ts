import { type ChildProcess, fork } from 'node:child_process'

/** What a party in a process of its own can be asked for. */
export type Skills = Record<string, (...args: never[]) => unknown>

type Asked<S extends Skills> = {
  [K in keyof S]: (...args: Parameters<S[K]>) => Promise<Awaited<ReturnType<S[K]>>>
}

export type Party<S extends Skills> = Asked<S> & { end(): Promise<void> }

interface Question {
  number: number
  skill: string
  args: never[]
}
type Answer = { number: number } & ({ value: unknown } | { error: string })

const CHILDREN = new URL('../children/', import.meta.url)

/**
 * Starts a program with Linux's idle policy: it runs only while no other wants the core, and gives it
 * up at once. The highest niceness is not as little: its slice ends before another begins.
 */
const WITH_IDLE_POLICY = ['chrt', '--idle', '0']

/**
 * A program of test/support/children with an event loop of its own, so that no load delays another.
 * `takesLeftovers`: on Linux it gets only what others leave of a core.
 */
export function openParty<S extends Skills>(program: string, takesLeftovers = false): Party<S> {
  const launcher = takesLeftovers && process.platform === 'linux' ? WITH_IDLE_POLICY : []
  const [execPath = '', ...execArgv] = [...launcher, process.execPath, '--import', 'tsx']
  const child = fork(new URL(`${program}.ts`, CHILDREN), {
    execPath,
    execArgv,
    serialization: 'advanced',
  })
  const orphan = () => child.kill('SIGKILL')
  process.once('exit', orphan)
  const ask = questionsTo(child)
  const end = async () => {
    process.removeListener('exit', orphan)
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.kill('SIGKILL')) await gone
  }
  return new Proxy({} as Party<S>, {
    get: (_, skill) => {
      if (skill === 'end') return end
      // Awaiting the proxy must not call it as a promise.
      if (skill === 'then' || typeof skill !== 'string') return undefined
      return (...args: never[]) => ask(skill, args)
    },
  })
}

function questionsTo(child: ChildProcess): (skill: string, args: never[]) => Promise<unknown> {
  const open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let number = 0
  child.on('message', (answer: Answer) => {
    const asked = open.get(answer.number)
    open.delete(answer.number)
    if ('error' in answer) asked?.reject(new Error(answer.error))
    else asked?.resolve(answer.value)
  })
  child.once('exit', (code, signal) => {
    for (const { reject } of open.values()) reject(new Error(`the party ended: ${signal ?? code}`))
    open.clear()
  })
  return (skill, args) =>
    new Promise((resolve, reject) => {
      number += 1
      open.set(number, { resolve, reject })
      const asked = number
      const question: Question = { number: asked, skill, args }
      child.send(question, (error) => {
        // The process is gone, or going: nothing will answer.
        if (error && open.delete(asked)) reject(error)
      })
    })
}

/** In the party's process: answers the calls. */
export function serveParty(skills: Skills): void {
  process.on('message', ({ number, skill, args }: Question) => {
    const answer = async (): Promise<Answer> => {
      try {
        return { number, value: await skills[skill]?.(...args) }
      } catch (error) {
        return {
          number,
          error: error instanceof Error ? (error.stack ?? error.message) : `${error}`,
        }
      }
    }
    void answer().then((said) => process.send?.(said))
  })
}
