export interface HeldCalls {
  /** The names of the calls so far. */
  readonly calls: string[]
  /** The wrapped object: its methods, or those named, are recorded, and one call may be held. */
  watch<T extends object>(of: T, names?: readonly (keyof T)[]): T
  /** Holds the n-th call from now on, from 1: resolves when it has been made. */
  hold(nth: number): Promise<void>
  /** Lets the held call continue. */
  release(): void
}

/** Records calls of several objects, and can hold one of them. */
export function holdCalls(): HeldCalls {
  const calls: string[] = []
  let until: { nth: number; made: () => void; held: Promise<void> } | null = null
  let release = () => {}

  const pass = async (name: string): Promise<void> => {
    calls.push(name)
    if (until === null) return
    until.nth -= 1
    if (until.nth > 0) return
    const { made, held } = until
    until = null
    made()
    await held
  }
  return {
    calls,
    watch: <T extends object>(of: T, names?: readonly (keyof T)[]) =>
      new Proxy(of, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          if (names && !names.includes(name as keyof T)) {
            return (...args: unknown[]): unknown => Reflect.apply(method, target, args)
          }
          return async (...args: unknown[]) => {
            await pass(String(name))
            return Reflect.apply(method, target, args)
          }
        },
      }),
    hold: (nth) =>
      new Promise((made) => {
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        until = { nth, made, held }
      }),
    release: () => release(),
  }
}
