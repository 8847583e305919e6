import { enAudit } from './en/audit.ts'
import { enExport } from './en/export.ts'
import { enFile } from './en/file.ts'
import { enFiles } from './en/files.ts'
import { enJobs } from './en/jobs.ts'
import { enKeys } from './en/keys.ts'
import { enLinks } from './en/links.ts'
import { enLists } from './en/lists.ts'
import { enOperator } from './en/operator.ts'
import { enPrivacy } from './en/privacy.ts'
import { enRefusals } from './en/refusals.ts'
import { enUsage } from './en/usage.ts'
import { enVaults } from './en/vaults.ts'
import { enWebhooks } from './en/webhooks.ts'

/** All that is shown, in English. Other languages have the same shape: a text that is missing there does not compile. */
export const en = {
  app: {
    name: 'Tideport',
    skip: 'Skip to content',
    menu: 'Menu',
    closeMenu: 'Close menu',
    pages: 'Pages',
    loading: 'Loading',
    stillLoading: 'Still loading. The service is slow to answer, or your connection is.',
    retry: 'Try again',
    cancel: 'Cancel',
    close: 'Close',
    save: 'Save',
    copy: 'Copy',
    copied: 'Copied',
    more: 'Load more',
    dismiss: 'Dismiss',
    undo: 'Undo',
    notices: 'Notices',
    failedTitle: 'Something went wrong',
    failedText: 'This page stopped because of a fault in the console.',
    newer: 'There is a newer version of the console. Reload to use it.',
    reload: 'Reload',
    notLoadedTitle: 'This page could not be loaded',
    notLoadedText: 'There is no connection, or there is a newer version of the console.',
    notFoundTitle: 'There is no such page',
    notFoundText: 'Check the address, or go on from the start.',
    goneTitle: 'It is not here',
    goneText: 'It was deleted, it is in the trash, or the address is wrong.',
    toStart: 'Go to the start',
    language: 'Language',
    theme: 'Theme',
    themeAuto: 'As the system',
    themeLight: 'Light',
    themeDark: 'Dark',
    settings: 'Settings',
    noAnswer: 'No answer came. Check your connection and try again.',
    wrongAnswer:
      'The response of the service does not follow the API. Retry later, or tell the operator of this installation.',
    requestId: (id: string) => `Request ${id}`,
  },
  nav: {
    vaults: 'Vaults',
    trash: 'Trash',
    links: 'Links',
    keys: 'API keys',
    webhooks: 'Webhooks',
    jobs: 'Jobs',
    usage: 'Usage',
    audit: 'Audit log',
    export: 'Export',
    operator: 'Operators',
    docs: 'API reference',
  },
  commands: {
    title: 'Commands',
    placeholder: 'Type a command or a page',
    none: 'Nothing fits',
    open: 'Commands',
    keys: 'Keyboard shortcuts',
    goTo: (page: string) => `Go to ${page}`,
    control: 'Ctrl',
    thisPage: 'On this page',
    everywhere: 'Everywhere',
  },
  signIn: {
    title: 'Sign in',
    lead: 'Sign in to see and manage your files.',
    provider: 'Sign in',
    providerAt: (host: string) => `You are taken to ${host}.`,
    keyTitle: 'With an API key',
    key: 'API key',
    keyHint: 'It is kept for this tab alone, and forgotten when the tab is closed.',
    useKey: 'Use this key',
    keyBad: 'This key was not accepted.',
    keyShape: 'A key begins with tdp_.',
    developmentTitle: 'Development mode',
    developmentHint: 'This installation lets anyone in. It is for trying things out.',
    firstUser: 'Continue as the first user',
    otherUser: 'Somebody else, by any name',
    otherUserHint: 'An account is made when the name is new.',
    continueAs: 'Continue',
    out: 'Sign out',
    leftHere: 'The identity provider cannot be reached: you are signed out here, but perhaps not there.',
    as: (who: string) => `Signed in as ${who}`,
    ended: 'Your session has ended. Please sign in again.',
    failed: 'Signing in did not work. Please try again.',
    refused: (reason: string) => `The identity provider said: ${reason}`,
    untrusted: 'The identity provider’s answer did not fit what was asked for, so it was not used.',
    noWay: 'Nobody signs in through a browser here. Use an API key.',
    asKey: 'an API key',
    asFirstUser: 'the first user',
  },
  file: enFile,
  privacy: enPrivacy,
  vaults: enVaults,
  lists: enLists,
  links: enLinks,
  keys: enKeys,
  webhooks: enWebhooks,
  jobs: enJobs,
  usage: enUsage,
  audit: enAudit,
  export: enExport,
  files: enFiles,
  operator: enOperator,
  refusals: enRefusals,
  uploads: {
    title: 'Uploads',
    underWay: (done: number, all: number) =>
      `Uploading: ${done.toLocaleString('en')} of ${all.toLocaleString('en')} done`,
    over: (done: number, failed: number) =>
      failed === 0
        ? `${done.toLocaleString('en')} uploaded`
        : `${done.toLocaleString('en')} uploaded, ${failed.toLocaleString('en')} failed`,
    pause: 'Pause',
    resume: 'Go on',
    cutOff: (done: number, all: number) =>
      `Waiting for the service: ${done.toLocaleString('en')} of ${all.toLocaleString('en')} done`,
    takenTitle: 'File already exists',
    takenText: (path: string) => `${path} already exists in this vault.`,
    takenForAll: (count: number) => `Do the same with all ${count.toLocaleString('en')} files that already exist`,
    takenHint: 'A replaced file goes to the trash. “Keep both” leaves two files at the same path.',
    takenCancel: 'Cancel the upload',
    replace: 'Replace',
    keepBoth: 'Keep both',
    skip: 'Skip',
    tryNow: 'Try now',
    retry: 'Try the failed ones again',
    cancel: 'Cancel',
  },
  underWay: {
    title: 'Under way',
    kinds: {
      move: 'Moving',
      copy: 'Copying',
      trash: 'Moving to the trash',
      restore: 'Restoring',
      delete: 'Deleting',
      publish: 'Publishing',
      export: 'Exporting',
    },
    soFar: (files: number) => (files === 1 ? '1 file so far' : `${files.toLocaleString('en')} files so far`),
    cancel: 'Stop',
    cancelled: 'Stopped. What was done stays done.',
    failed: 'It was given up.',
    left: (files: number) =>
      files === 1
        ? '1 file had to be left as it was'
        : `${files.toLocaleString('en')} files had to be left as they were`,
  },
}

export type Text = typeof en
