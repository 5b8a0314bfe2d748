import { z } from 'zod'
import { vector } from '../../support/vectors.ts'

const Message = z.object({ topic: z.string(), body: z.string(), counter: z.int() })
const Step = z.object({
  step: z.string(),
  mempool: z.object({ mempool_sequence: z.int() }).optional(),
})
const Recording = z.object({ messages: z.array(z.union([Message, Step])) })

export type ZmqMessage = z.infer<typeof Message>

/** What a step caused: its messages, and the mempool's sequence afterwards. */
export interface RecordedStep {
  step: string
  messages: readonly ZmqMessage[]
  sequence: number | undefined
}

/** zmq-frames.json: the messages of a real node, by the step that caused them. */
export function readRecording(): readonly RecordedStep[] {
  const steps: RecordedStep[] = []
  let messages: ZmqMessage[] = []
  for (const entry of Recording.parse(vector('zmq-frames.json')).messages) {
    if ('topic' in entry) messages.push(entry)
    else {
      steps.push({ step: entry.step, messages, sequence: entry.mempool?.mempool_sequence })
      messages = []
    }
  }
  return steps
}

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
