import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AnswerOf, MarketClient } from 'psbt-market-client'
import { Waiting } from '../ui/awaited/waiting.tsx'
import { ActionForm } from '../ui/forms/action-form.tsx'
import { Field } from '../ui/forms/field.tsx'
import { textIn } from '../ui/forms/form-text.ts'
import { Age } from '../ui/values/age.tsx'
import { bytesText } from './figures.ts'
import { asked, OPERATOR } from './operator.ts'
import { RecordValue } from './record-value.tsx'

export type Topic = AnswerOf<'/api/market/admin/topics'>['topics'][number]
type Page = AnswerOf<'/api/market/admin/topics/{topic}/records'>
type LogRecord = Page['records'][number]
type Filters = Partial<Record<'key' | 'partition' | 'from' | 'cursor', string>>

interface Question {
  filters: Filters
  times: number
}

const STOPPED = {
  records: 'The filter passed over as many records as one page may read.',
  bytes: 'The page is as large as it may be.',
  time: 'The page took as long as it may.',
} as const

/** Records of a topic, the newest first, a page at a time. */
export function RecordBrowser({ operator, topic }: { operator: MarketClient; topic: Topic }) {
  // Reading again with the same filters is another question: there may be new records.
  const [{ filters, times }, ask] = useState<Question>({ filters: {}, times: 0 })
  // On a phone it is far below the topics.
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const query = useQuery({
    queryKey: [OPERATOR, 'records', topic.topic, filters, times],
    queryFn: ({ signal }) =>
      operator.get('/api/market/admin/topics/{topic}/records', {
        path: { topic: topic.topic },
        query: filters,
        signal,
      }),
    ...asked,
    placeholderData: keepPreviousData,
  })
  const read = { isPending: query.isFetching, error: query.error, data: undefined, reset: () => {} }
  const submit = (given: FormData) => {
    const names = ['key', 'partition', 'from'] as const
    const texts = names.map((name) => [name, textIn(given, name)] as const)
    const named = texts.filter(([, text]) => text !== '')
    ask({ filters: Object.fromEntries(named), times: times + 1 })
  }
  const turn = (cursor: string) => ask({ filters: { ...filters, cursor }, times })
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        Records of {topic.topic}
      </h3>
      <ActionForm action={read} submit={submit} button="Read" pending="Reading…" layout="controls">
        <Field name="key" label="Key, or a text in a field" isWide>
          {(ties) => <input {...ties} maxLength={200} autocomplete="off" />}
        </Field>
        {topic.partitions > 1 && (
          <Field
            name="partition"
            label="Partition"
            cure={`Write a number from 0 to ${topic.partitions - 1}, or leave it empty.`}
          >
            {(ties) => <input {...ties} inputMode="numeric" maxLength={6} autocomplete="off" />}
          </Field>
        )}
        <Field
          name="from"
          label="Before a time in UTC, or an offset"
          cure="Write a time such as 2026-01-31T12:00:00Z, or digits."
        >
          {(ties) => <input {...ties} placeholder="2026-01-31T12:00:00Z" autocomplete="off" />}
        </Field>
      </ActionForm>
      {!query.error && <Waiting query={query} isOpened />}
      {query.data && <RecordPage page={query.data} isBusy={query.isPlaceholderData} turn={turn} />}
    </>
  )
}

interface Shown {
  page: Page
  isBusy: boolean
  turn(cursor: string): void
}

export function RecordPage({
  page: { records, older, newer, scanned, stopped },
  isBusy,
  turn,
}: Shown) {
  return (
    <div aria-live="polite" aria-busy={isBusy}>
      {records.length === 0 && stopped === null && <p class="empty">No record.</p>}
      <ul class="changes">
        {records.map((record) => (
          <RecordItem key={`${record.partition}/${record.offset}`} record={record} />
        ))}
      </ul>
      {stopped && (
        <p class="stale">
          {STOPPED[stopped]} {scanned} were read; go on with the older ones.
        </p>
      )}
      <p class="row">
        <PageButton label="Newer" cursor={newer} isBusy={isBusy} turn={turn} />
        <PageButton label="Older" cursor={older} isBusy={isBusy} turn={turn} />
      </p>
    </div>
  )
}

interface Turning {
  label: string
  cursor: string | null
  isBusy: boolean
  turn(cursor: string): void
}

const PageButton = ({ label, cursor, isBusy, turn }: Turning) => (
  <button
    type="button"
    class="plain"
    disabled={isBusy || cursor === null}
    onClick={() => cursor !== null && turn(cursor)}
  >
    {label}
  </button>
)

function RecordItem({ record }: { record: LogRecord }) {
  const [isOpen, setOpen] = useState(false)
  const { partition, offset, at, kind, what } = record
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {partition}/{offset}, <Age at={at} />: <strong>{kind}</strong>{' '}
          <bdi class="stranger">{what}</bdi>
        </summary>
        {isOpen && <RecordFacts record={record} />}
      </details>
    </li>
  )
}

function RecordFacts({
  record: { at, key, schema, headers, chain, bytes, value, isCut },
}: {
  record: LogRecord
}) {
  return (
    <>
      <dl class="facts">
        <dt>Key</dt>
        <dd>{key === null ? 'none, or withheld' : <bdi class="stranger">{key}</bdi>}</dd>
        <dt>Appended</dt>
        <dd>{at}</dd>
        <dt>Shape</dt>
        <dd>{schema}</dd>
        <dt>Value</dt>
        <dd>
          {bytesText(bytes)}
          {isCut && ', of which this is the beginning'}
        </dd>
        {Object.entries(headers).map(([name, text]) => (
          <Row key={name} name={`Header ${name}`} text={text} />
        ))}
        {chain && <Row name="Hash" text={chain.hash} />}
        {chain && <Row name="Hash before" text={chain.prevHash ?? 'none: it is the first'} />}
      </dl>
      <RecordValue value={value} />
    </>
  )
}

const Row = ({ name, text }: { name: string; text: string }) => (
  <>
    <dt>{name}</dt>
    <dd>
      <bdi class="stranger">{text}</bdi>
    </dd>
  </>
)
