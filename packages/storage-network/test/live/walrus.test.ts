import { describeStorageNetwork } from '../conformance.ts'
import { liveWalrusOf, openLiveWalrus } from '../live-walrus.ts'

describeStorageNetwork('walrus', () => openLiveWalrus(liveWalrusOf(process.env)))
