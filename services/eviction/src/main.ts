import { run } from '@tideport/service-kit/process/run'
import { eviction } from './service.ts'

await run([eviction], process.env)
