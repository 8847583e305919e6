/** A part of an OpenAPI document. */
export type Part = { [word: string]: Part } & { properties?: Record<string, Part>; required?: string[] }

/**
 * Corrects the OpenAPI where the responses of a publisher differ, according to its source and its documentation
 * (docs/content/http-api/storing-blobs.mdx): fields of two schemas are in camel case, and a digest is a string.
 */
export function corrected(document: Part): Part {
  const copy = structuredClone(document)
  const schemas = copy.components?.schemas as Part
  for (const name of ['BlobStoreResult', 'RegisterBlobOp']) if (schemas[name]) inCamelCase(schemas[name])
  const digest = schemas.EventID?.properties
  if (digest) digest.txDigest = { type: 'string' } as unknown as Part
  return copy
}

function inCamelCase(part: Part): void {
  if (typeof part !== 'object' || part === null) return
  if (part.properties && typeof part.properties === 'object') {
    part.properties = Object.fromEntries(
      Object.entries(part.properties).map(([name, value]) => [camelCase(name), value]),
    )
  }
  if (Array.isArray(part.required)) part.required = part.required.map(camelCase)
  for (const inner of Object.values(part)) inCamelCase(inner as Part)
}

const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
