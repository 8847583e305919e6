import { describe } from 'vitest'
import { describeStorageNetwork } from '../conformance.ts'
import { drivers, missing } from '../networks-under-test.ts'

for (const [name, open] of Object.entries(drivers)) {
  describe.skipIf(missing().includes(name))('a driver with an available server', () =>
    describeStorageNetwork(name, open),
  )
}
