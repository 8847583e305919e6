import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import type { Endpoint } from '../../src/endpoint/endpoint.ts'
import { internalApi } from '../../src/internal/api.ts'
import { api } from '../../src/public/api.ts'

const id = '0190A6F2-1C3E-7D4B-8A5F-6B7C8D9E0F1A'
const endpoints: [string, Endpoint][] = Object.entries({ ...api, ...internalApi })

/** IDs of content and of vault keys are case-sensitive. */
const others = new Set(['blobId', 'keyId of updateVault', 'replacesKeyId of updateVault'])

/** Every request field that contains a UUID of ours, with the part of the request. */
const fields = endpoints.flatMap(([operation, endpoint]) =>
  (['params', 'query', 'body'] as const).flatMap((part) =>
    Object.entries(endpoint[part]?.shape ?? {})
      .filter(([name]) => name.endsWith('Id') && !others.has(name) && !others.has(`${name} of ${operation}`))
      .map(([name, schema]) => ({ operation, part, name, schema: schema as z.ZodType })),
  ),
)

describe('IDs in requests', () => {
  it.each(fields)('$operation accepts $name in its $part in any case', ({ schema }) => {
    expect(schema.parse(id)).toBe(id.toLowerCase())
    expect(schema.parse(id.toLowerCase())).toBe(id.toLowerCase())
  })

  it('are checked for every endpoint with an ID in its path', () => {
    const inPaths = endpoints.flatMap(([, { path }]) => path.match(/:\w+Id\b/g) ?? [])
    expect(fields.filter(({ part }) => part === 'params')).toHaveLength(inPaths.length - 1)
    expect(inPaths.length).toBeGreaterThan(20)
  })

  it('keep their case if they are content IDs', () => {
    const blobId = 'zdj7WbTaiJT1fgatdet9Ei9iDB5hdCxkbVyhyh8YTUnXMiwYi'
    expect(api.publicBlobBytes.params.parse({ blobId })).toEqual({ blobId })
  })
})
