import type { Authorities } from './gather-evidence.ts'

/**
 * Asks node and index for their tips once for all concurrent questions: an answer is shared only by
 * callers that asked before the call was made, so it is never older than a question.
 */
export function coalesceCalls({ node, index, ...others }: Authorities): Authorities {
  return {
    ...others,
    node: node && replaced(node, { chain: shared(() => node.chain()) }),
    index: index && replaced(index, { status: shared(() => index.status()) }),
  }
}

/** One call at a time: callers that arrive meanwhile share the next. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  return () => {
    if (next) return next
    const answer = last.then(() => {
      next = null
      return ask()
    })
    next = answer
    last = answer.catch(() => undefined)
    return answer
  }
}

/** Methods are bound to the object itself, since only it has its private fields. */
function replaced<T extends object>(of: T, methods: Partial<T>): T {
  return new Proxy(of, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
