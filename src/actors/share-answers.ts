import type { Authorities } from './gather-evidence.ts'

/**
 * Where node and index stand, asked once for all questions that are put together: an answer is
 * shared only with those who asked before it was asked for, so it is never older than a question.
 */
export function shareAnswers({ node, index, ...others }: Authorities): Authorities {
  return {
    ...others,
    node: node && replaced(node, { chain: shared(() => node.chain()) }),
    index: index && replaced(index, { status: shared(() => index.status()) }),
  }
}

/** One call at a time: who comes meanwhile shares the next. */
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

/** Methods run on the object itself, whose private fields only it has. */
function replaced<T extends object>(of: T, methods: Partial<T>): T {
  return new Proxy(of, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in methods ? methods : target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
