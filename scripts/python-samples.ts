import { operationsOf, readDescription } from '../guide/reference/description.ts'
import { pythonOf } from '../guide/reference/python-sample.ts'
import { callOf } from '../guide/reference/sample-call.ts'

// The samples in Python of the API's reference, by operation, as JSON: check-python-client.py runs them.

const description = readDescription()
const samples = operationsOf(description).map((operation) => [
  operation.operationId,
  { isRead: operation.method === 'get', text: pythonOf(callOf(operation, description)) },
])
console.log(JSON.stringify(Object.fromEntries(samples)))
