import { z } from 'zod'
import { vector } from '../../support/vectors.ts'

const Message = z
  .tuple([z.string(), z.int(), z.string()])
  .transform(([topic, counter, body]) => ({ topic, counter, body }))
/** The effect of a step: its messages, and the mempool's sequence afterwards. */
const Step = z.object({
  step: z.string(),
  mempoolSequence: z.int().nullable(),
  messages: z.array(Message),
})

export type ZmqMessage = z.infer<typeof Message>

/** zmq-frames.json: the messages of a real node, by the step that caused them. */
export const readRecording = () => z.array(Step).parse(vector('zmq-frames.json'))

const counterFrame = (counter: number): Buffer => {
  const frame = Buffer.alloc(4)
  frame.writeUInt32LE(counter)
  return frame
}

/** As the publisher sends them. */
export const framesOf = ({ topic, body, counter }: ZmqMessage): Buffer[] => [
  Buffer.from(topic),
  Buffer.from(body, 'hex'),
  counterFrame(counter),
]

export const sequenceFrames = (body: string, counter: number): Buffer[] =>
  framesOf({ topic: 'sequence', body, counter })
