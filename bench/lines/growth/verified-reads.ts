import { compare } from '../../harness/line.ts'
import { PairingPipelines } from '../processes/pairing-pipelines.ts'
import { forkPinned, OTHER_CORE } from '../processes/pinned.ts'
import { type Growth, ofRates, sizesText } from './growth.ts'

const CONNECTIONS = 256
const ROUND_MS = 4_000
const QUICK_ROUND_MS = 1_500

/** Line 9: the objects of a pairing index take the place of orders. */
export const growthOfVerifiedReads: Growth = async (sizes, { isQuick, progress }) => {
  const load = { connections: CONNECTIONS, ms: isQuick ? QUICK_ROUND_MS : ROUND_MS }
  progress(`${sizes.few} and ${sizes.many} pairing objects, in two pipelines each`)
  await using few = await PairingPipelines.start(sizes.few)
  await using many = await PairingPipelines.start(sizes.many)
  using client = forkPinned({ module: 'socket-load', core: OTHER_CORE })
  const read = async (pipelines: PairingPipelines) => {
    const { figure, cpuUs } = await pipelines.read(client, 'verified/objects/', load)
    return { figure, cpuUs }
  }
  progress('reading')
  return [
    await compare(
      { ...ofRates, name: 'line 9', sizes: sizesText(sizes, 'objects'), unit: 'reads/s' },
      () => read(many),
      () => read(few),
    ),
  ]
}
