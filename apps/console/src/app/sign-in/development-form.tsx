import { signInAs } from '../../session/session.ts'
import { text } from '../../text/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'

/** Development mode: whom to be. */
export function DevelopmentForm() {
  const t = text.value.signIn
  return (
    <>
      <Button look="main" onClick={() => signInAs({ kind: 'development', providerId: null })}>
        {t.firstUser}
      </Button>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          const name = new FormData(event.currentTarget).get('name')
          signInAs({ kind: 'development', providerId: String(name).trim() })
        }}
      >
        {/* What a header can carry. */}
        <Field
          label={t.otherUser}
          hint={t.otherUserHint}
          name="name"
          required
          maxLength={200}
          pattern="[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?"
        />
        <div class="form-end">
          <Button type="submit">{t.continueAs}</Button>
        </div>
      </form>
    </>
  )
}
