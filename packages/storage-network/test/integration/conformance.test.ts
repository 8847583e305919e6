import { describeStorageNetwork } from '../conformance.ts'
import { drivers } from '../drivers.ts'

for (const [name, open] of Object.entries(drivers)) describeStorageNetwork(name, open)
