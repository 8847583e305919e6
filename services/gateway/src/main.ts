import { run } from '@tideport/service-kit/process/run'
import { gateway } from './service.ts'

await run([gateway], process.env)
