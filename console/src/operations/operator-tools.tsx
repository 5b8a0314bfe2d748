/** What this page shows with an operator's token, by the titles of its cards (`test/console/tools.test.ts`). */
const TOOLS = [
  ['Partitions', 'how far each has read, and what it waits for'],
  ['Feeds', 'where orders come from, and which source is in trouble'],
  ['This service', 'version, uptime, rates, and how long the disk lasts'],
  ['Dead letters', 'records that were set aside: why, and a way to try each again'],
  ['Acts of operators', 'who did what at this gateway'],
  ['The log', 'its topics, and their records by key and by time'],
  ['Webhooks', 'who is called for which orders, and what was not delivered'],
  ['Moderation', 'an order is hidden, shown again or withdrawn, with all of its log'],
  ['Divergences of the pipelines', 'what the two signed differently'],
] as const

/** What a token is for, and how one is got: without it most of the page is not there. */
export const OperatorTools = () => (
  <div class="two">
    <section class="card" aria-labelledby="tools">
      <h2 id="tools">What a token shows here</h2>
      <ul class="notices">
        {TOOLS.map(([title, words]) => (
          <li key={title}>
            <strong>{title}</strong>: {words}
          </li>
        ))}
      </ul>
    </section>
    <section class="card" aria-labelledby="get-token">
      <h2 id="get-token">How to get a token</h2>
      <ol class="notices">
        <li>
          Who runs this service makes one: <code>market operator token NAME</code> prints the token,
          once, and an entry with its hash.
        </li>
        <li>
          The entry goes into <code>OPERATOR_TOKENS</code> of the service, which is then started
          again; without an entry there, it takes no token.
        </li>
        <li>The token itself is given to its operator, and is stored nowhere.</li>
      </ol>
      <p class="alone">
        <a href="/guide/operations.html#market-operator-token">More about tokens</a>
      </p>
    </section>
  </div>
)
