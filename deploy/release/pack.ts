// npm run pack: writes the npm packages of a release and their SBOMs to dist/npm. In the release workflow, they name its
// repository.
import { join } from 'node:path'
import { packPackages } from './npm-packages.ts'

const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env
const repository = GITHUB_REPOSITORY && `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`
await packPackages(join(import.meta.dirname, '../../dist/npm'), repository)
