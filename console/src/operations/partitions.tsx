import type { AnswerOf } from 'psbt-market-client'
import { Age } from '../ui/values/age.tsx'

type PartitionProgress = AnswerOf<'/api/market/admin/operations'>['partitions'][number]

const READERS = [
  ['Actors', 'actors'],
  ['Views', 'views'],
  ['History', 'history'],
] as const

type Reader = PartitionProgress[(typeof READERS)[number][1]]

/** Records that a reader may have left while it keeps up. */
const BEHIND = 100

/** All partitions in one line; each of them on demand, and at once where one is behind. */
export function Partitions({ partitions }: { partitions: PartitionProgress[] }) {
  const behind = partitions.filter((one) =>
    READERS.some(([, name]) => one[name].left === null || Number(one[name].left) > BEHIND),
  )
  const count = partitions.length === 1 ? '1 partition' : `${partitions.length} partitions`
  return (
    <>
      <p class={behind.length > 0 ? 'stale' : 'verdict'}>
        {behind.length > 0 ? `${count}, ${behind.length} behind.` : `${count}, none behind.`}
      </p>
      <details open={behind.length > 0}>
        <summary>Each partition</summary>
        <PartitionTable partitions={partitions} />
      </details>
    </>
  )
}

/** Of each partition: what its readers have left to read, and until when its orders are verified. */
const PartitionTable = ({ partitions }: { partitions: PartitionProgress[] }) => (
  <table class="cards">
    <caption class="quiet">
      Records left to read, and the watermark until which its orders are verified.
    </caption>
    <thead>
      <tr>
        <th scope="col">Partition</th>
        {READERS.map(([head]) => (
          <th key={head} scope="col" class="number">
            {head}
          </th>
        ))}
        <th scope="col">Watermark</th>
        <th scope="col" class="number">
          Node
        </th>
        <th scope="col">Index</th>
      </tr>
    </thead>
    <tbody>
      {partitions.map((one) => (
        <tr key={one.partition}>
          <th scope="row">{one.partition}</th>
          {READERS.map(([head, name]) => (
            <td key={head} data-label={head} class="number">
              <Left reader={one[name]} />
            </td>
          ))}
          <td data-label="Watermark">
            {one.watermark ? <Age at={one.watermark.at} /> : 'none yet'}
          </td>
          <td data-label="Node" class="number">
            {one.watermark ? `block ${one.watermark.tipHeight}` : '–'}
          </td>
          <td data-label="Index">{one.watermark ? indexOf(one.watermark) : '–'}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

const Left = ({ reader }: { reader: Reader }) =>
  reader.left === null ? <span class="stale">unavailable</span> : String(reader.left)

const indexOf = ({
  indexHeight,
  indexStatus,
}: NonNullable<PartitionProgress['watermark']>): string =>
  indexHeight === null ? indexStatus : `block ${indexHeight}`
