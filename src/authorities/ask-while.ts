/** The same authority; once the signal has aborted, every further call throws its reason. */
export const askWhile = <T extends object>(of: T, over: AbortSignal): T =>
  new Proxy(of, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]): unknown => {
        over.throwIfAborted()
        return Reflect.apply(method, target, args)
      }
    },
  })
