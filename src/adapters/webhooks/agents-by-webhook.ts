import type { Agent } from 'undici'
import { MOST_WEBHOOKS } from '../../schemas/webhooks/webhook-records.ts'

interface Used {
  agent: Agent
  /** Posts that run. */
  posts: number
}

/** The connections of each webhook, for at most as many idle webhooks as there can be. */
export class AgentsByWebhook {
  readonly #open: () => Agent
  /** The one used longest ago first. */
  readonly #agents = new Map<string, Used>()

  constructor(open: () => Agent) {
    this.#open = open
  }

  /** Given back however the work ends. */
  async use<T>(webhook: string, work: (agent: Agent) => Promise<T>): Promise<T> {
    const used = this.#agents.get(webhook) ?? { agent: this.#open(), posts: 0 }
    this.#agents.delete(webhook)
    this.#agents.set(webhook, used)
    used.posts += 1
    try {
      return await work(used.agent)
    } finally {
      used.posts -= 1
      this.#closeOldest()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map(({ agent }) => agent.destroy()))
    this.#agents.clear()
  }

  #closeOldest(): void {
    for (const [webhook, { agent, posts }] of this.#agents) {
      if (this.#agents.size <= MOST_WEBHOOKS) return
      if (posts > 0) continue
      this.#agents.delete(webhook)
      void agent.destroy()
    }
  }
}
