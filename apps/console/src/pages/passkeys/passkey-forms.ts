import {
  addPasskey,
  beginPasskey,
  deletePasskey,
  type Passkey,
  renamePasskey,
  replaceRecoveryCode,
} from '@tideport/sdk'
import { client } from '../../api/client.ts'
import { toast } from '../../api/toasts.ts'
import { createOwnerPasskey, NoPasskey } from '../../session/owner-session.ts'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { WrongField } from '../../ui/form-dialog.tsx'
import type { FormField } from '../../ui/form-fields.tsx'
import type { Asked } from '../../ui/use-dialog.tsx'
import { showRecoveryCode } from './recovery-code.ts'

export const passkeysKey = ['passkeys'] as const

const nameField = (defaultValue = ''): FormField => ({
  name: 'name',
  label: text.value.app.label,
  hint: text.value.owner.nameHint,
  required: true,
  maxLength: 100,
  defaultValue,
})

export function newPasskeyForm(): Asked {
  const t = text.value.owner
  return {
    title: t.addPasskey,
    submit: t.addPasskey,
    fields: [nameField()],
    run: (fields) => add(String(fields.get('name'))),
    changes: passkeysKey,
  }
}

async function add(name: string) {
  const options = await beginPasskey(client(), {})
  const passkey = await createOwnerPasskey(options, name).catch((cause) => {
    throw cause instanceof NoPasskey ? new WrongField('name', text.value.owner.notCreated) : cause
  })
  return await addPasskey(client(), passkey)
}

export function renameForm({ id, name }: Passkey): Asked {
  const { app, owner: t } = text.value
  return {
    title: t.renameTitle(isolated(name)),
    submit: app.save,
    fields: [nameField(name)],
    run: (fields) => renamePasskey(client(), { passkeyId: id, name: String(fields.get('name')) }),
    changes: passkeysKey,
    onDone: () => toast(app.saved),
  }
}

export function deletionForm({ id, name }: Passkey): Asked {
  const t = text.value.owner
  return {
    title: t.deleteTitle(isolated(name)),
    text: t.deleteText,
    submit: t.deletePasskey,
    danger: true,
    run: () => deletePasskey(client(), { passkeyId: id }),
    changes: passkeysKey,
    onDone: () => toast(t.deleted(isolated(name))),
  }
}

export function newCodeForm(): Asked<{ recoveryCode: string }> {
  const t = text.value.owner
  return {
    title: t.replaceTitle,
    text: t.replaceText,
    submit: t.replaceCode,
    danger: true,
    run: () => replaceRecoveryCode(client(), {}),
    changes: passkeysKey,
    onAnswer: ({ recoveryCode }) => showRecoveryCode(recoveryCode),
  }
}
