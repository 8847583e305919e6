import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { corrected, type Part } from './overlay.ts'

const read = (name: string): Part => parse(readFileSync(new URL(`openapi/${name}.yaml`, import.meta.url), 'utf8'))

/** As published, and as corrected by the overlay. */
export const published = { publisher: read('publisher'), aggregator: read('aggregator') }
const documents = { publisher: corrected(published.publisher), aggregator: corrected(published.aggregator) }

/** Answers that are given and not documented: those of tokens, of load, and of what refuses a request before any code. */
const undocumented = [401, 403, 413, 429]

/** What is wrong with a value by a schema of a document; null: nothing. */
export function faultsOf(document: Part, schema: string, value: unknown): string | null {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document, 'walrus')
  const validate = ajv.compile({ $ref: `walrus#/components/schemas/${schema}` })
  return validate(value) ? null : ajv.errorsText(validate.errors)
}

/**
 * What is wrong with an answer by the corrected OpenAPI: its status, and its body where that is JSON. A body in plain text
 * is given where nothing else is documented, or by what refuses a request before any code does.
 */
export async function unlikeContract(
  which: keyof typeof documents,
  [path, method]: [string, string],
  answer: Response,
): Promise<string | null> {
  const { status } = answer
  const documented = documents[which].paths?.[path]?.[method]?.responses?.[status]
  const isJson = answer.headers.get('content-type') === 'application/json'
  if (documented === undefined && !undocumented.includes(status)) return `${status} is not documented`
  if (!isJson) return documented?.content?.['application/json'] && status < 400 ? 'it is not JSON' : null
  const told = (await answer.json()) as object
  const schema = 'error' in told && status >= 400 ? 'Status' : 'BlobStoreResult'
  return faultsOf(documents[which], schema, told)
}
