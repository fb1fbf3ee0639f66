/** What arrives and what leaves: a profile from this computer, a picture of the view. */
import { hasServer } from '../../data/request'
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
  const { button, overlay } = useOpenFile()
  return (
    <>
      <Popup
        label={
          <>
            File<span aria-hidden="true"> ▾</span>
          </>
        }
        name="File: open a profile, save a picture"
        title="Open a profile from this computer, save a picture of the view"
        content={() => (
          <div class="file-menu" role="group" aria-label="File">
            {hasServer() && button}
            {hasView && <SavePicture title={title} profile={profile} />}
          </div>
        )}
      />
      {hasServer() && overlay}
    </>
  )
}
