/** What arrives and what leaves: a profile from this computer, a picture of the view. */
import { runs } from '../../data/runs'
import type { Profile } from '../../wire/profile'
import { Popup } from '../../widgets/panel/popup'
import { useOpenFile } from './open_file'
import { SavePicture } from './save_picture'

interface FileMenuProps {
  readonly title: string
  readonly profile: Profile | undefined
  readonly hasView: boolean
}

export function FileMenu({ title, profile, hasView }: FileMenuProps) {
  const takesFiles = runs.value.reply?.takes_files === true
  const { button, overlay } = useOpenFile(takesFiles)
  if (!takesFiles && !hasView) return null
  return (
    <>
      <Popup
        isKept
        label="File"
        name={takesFiles ? 'File: open a profile, save a picture' : 'File: save a picture'}
        title={
          takesFiles ? 'Open a profile from this computer, save a picture of the view' : 'Save a picture of the view'
        }
        content={(close) => (
          <div class="file-menu" role="group" aria-label="File">
            {takesFiles && button}
            {hasView && <SavePicture title={title} profile={profile} onSaved={close} />}
          </div>
        )}
      />
      {takesFiles && overlay}
    </>
  )
}
