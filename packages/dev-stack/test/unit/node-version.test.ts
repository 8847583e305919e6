import { expect, test } from 'vitest'
import { faultOfNode } from '../../src/cli/node-version.ts'

test.each(['24.12.0', '24.21.0', '25.0.0', '26.1.3'])('accepts Node %s', (version) => {
  expect(faultOfNode(version)).toBeUndefined()
})

test.each(['20.20.2', '22.99.0', '24.11.9'])('rejects Node %s and names the required version', (version) => {
  expect(faultOfNode(version)).toContain(`Node 24.12 or newer is required, but this is ${version}.`)
})
