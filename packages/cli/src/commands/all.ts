import type { Command } from '../grammar/command.ts'
import { cat } from './cat.ts'
import { completion, man } from './completion.ts'
import { cp } from './cp.ts'
import { doctor } from './doctor.ts'
import { download } from './download.ts'
import { exportAll } from './export.ts'
import { importAll } from './import.ts'
import { jobs, jobsCancel, jobsShow, jobsWait } from './jobs.ts'
import { keys, keysCreate, keysRevoke, keysRotate } from './keys.ts'
import { link, links, linksRevoke } from './links.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import { ls } from './ls.ts'
import { mcp } from './mcp.ts'
import { mv } from './mv.ts'
import { profiles } from './profiles.ts'
import { publish } from './publish.ts'
import { restore } from './restore.ts'
import { rm } from './rm.ts'
import { sync } from './sync.ts'
import { upload } from './upload.ts'
import { usage } from './usage.ts'
import { vaultsKey, vaultsLock, vaultsUnlock } from './vault-keys.ts'
import { vaults, vaultsCreate, vaultsRestore, vaultsRm } from './vaults.ts'
import { verify } from './verify.ts'
import { watch } from './watch.ts'
import {
  webhooks,
  webhooksCreate,
  webhooksDeliveries,
  webhooksRedeliver,
  webhooksRm,
  webhooksRotate,
  webhooksTest,
} from './webhooks.ts'
import { webhooksListen } from './webhooks-listen.ts'

/** In the order of the help. */
export const commands: readonly Command[] = [
  login,
  logout,
  profiles,
  vaults,
  vaultsCreate,
  vaultsRm,
  vaultsRestore,
  vaultsUnlock,
  vaultsLock,
  vaultsKey,
  upload,
  download,
  ls,
  cat,
  cp,
  mv,
  rm,
  restore,
  publish,
  jobs,
  jobsShow,
  jobsCancel,
  jobsWait,
  sync,
  watch,
  verify,
  exportAll,
  importAll,
  link,
  links,
  linksRevoke,
  usage,
  keys,
  keysCreate,
  keysRotate,
  keysRevoke,
  webhooks,
  webhooksCreate,
  webhooksRm,
  webhooksTest,
  webhooksDeliveries,
  webhooksRedeliver,
  webhooksRotate,
  webhooksListen,
  doctor,
  mcp,
  completion(() => commands),
  man(() => commands),
]
