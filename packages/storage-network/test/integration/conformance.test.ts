import { describe } from 'vitest'
import { describeStorageNetwork } from '../conformance.ts'
import { drivers, missing } from '../networks-under-test.ts'

for (const [name, open] of Object.entries(drivers)) {
  if (missing().includes(name)) describe.skip(`${name}: its server could not be had`)
  else describeStorageNetwork(name, open)
}
