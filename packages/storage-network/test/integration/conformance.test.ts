import { describeStorageNetwork } from '../conformance.ts'
import { drivers } from '../networks-under-test.ts'

for (const [name, open] of Object.entries(drivers)) describeStorageNetwork(name, open)
