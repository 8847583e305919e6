import { run } from '@tideport/service-kit/process/run'
import { files } from './service.ts'

await run([files], process.env)
