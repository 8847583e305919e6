import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { accountKinds } from '../../src/pages/audit/kinds.ts'

it('the filter of the audit log offers every kind that this version writes', () => {
  const text = readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8')
  const { description } = JSON.parse(text).components.schemas.AccountEvent.properties.kind
  const documented = [...description.matchAll(/`([^`]+)`/g)].map(([, kind]) => kind)
  expect(documented).toEqual([...accountKinds])
})
