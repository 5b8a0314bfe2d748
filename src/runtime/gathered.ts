export interface SharedRequests {
  /** Requests under way at a time. */
  atOnce: number
  /** Questions in one request. */
  perRequest: number
}

interface WaitingQuestion<Q, A> {
  question: Q
  resolve(answer: A): void
  reject(error: unknown): void
}

/**
 * Asks many questions of one kind in few requests: what is asked while `atOnce` requests are under
 * way goes together in the next one, so that an answer is never older than its question. Questions
 * of one request fail together. `askMany` answers each, in their order.
 */
export function gathered<Q, A>(
  askMany: (questions: readonly Q[]) => Promise<readonly A[]>,
  { atOnce, perRequest }: SharedRequests,
): (question: Q) => Promise<A> {
  const waiting: WaitingQuestion<Q, A>[] = []
  let underWay = 0

  const askNext = async (): Promise<void> => {
    const group = waiting.splice(0, perRequest)
    underWay += 1
    try {
      const answers = await askMany(group.map(({ question }) => question))
      for (const [at, { resolve }] of group.entries()) resolve(answers[at] as A)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
    underWay -= 1
    if (waiting.length > 0) void askNext()
  }

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (underWay < atOnce) void askNext()
    })
}
