import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { corrected, type Part } from './overlay.ts'

const read = (name: string): Part => parse(readFileSync(new URL(`openapi/${name}.yaml`, import.meta.url), 'utf8'))

/** The OpenAPI documents as published. */
export const published = { publisher: read('publisher'), aggregator: read('aggregator') }
const documents = { publisher: corrected(published.publisher), aggregator: corrected(published.aggregator) }

/** Undocumented statuses that Walrus returns: for tokens, for load, and from the web framework. */
const undocumented = [401, 403, 413, 429]

/** Validates a value against a schema of a document. Returns the errors, or null if the value is valid. */
export function faultsOf(document: Part, schema: string, value: unknown): string | null {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document, 'walrus')
  const validate = ajv.compile({ $ref: `walrus#/components/schemas/${schema}` })
  return validate(value) ? null : ajv.errorsText(validate.errors)
}

/**
 * Checks the status and the JSON body of a response against the corrected OpenAPI. Returns the error, or null. Accepts
 * plain text for errors, which the web framework can return, and where the document specifies no JSON.
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
