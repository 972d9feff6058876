import { t } from "@lingui/core/macro";
import { type Collection, changeCollection } from "../../../data/collections";
import { SavedSelect, SavedSwitch } from "../../../parts/Saved";
import { SavedNumber } from "../../../parts/SavedField";
import { Section } from "../Column";
import { choices, scopes, surveyTypes, triggers } from "./words";

/** How the collection asks what people think of its answers. */
export function Surveys({ collection }: { collection: Collection }) {
  const rules = collection.csat_config;
  const save = (csat_config: Partial<Collection["csat_config"]>) => changeCollection(collection.id, { csat_config });
  return (
    <Section title={t`Satisfaction (CSAT)`} about={t`A short survey asks the requester how it went. Each request gets at most one.`}>
      <SavedSwitch label={t`Send surveys`} field="csat_config.enabled" value={rules.enabled} save={(enabled) => save({ enabled })} />
      {rules.enabled && (
        <>
          <SavedSelect label={t`When to send`} field="csat_config.trigger" data={choices(triggers())} value={rules.trigger} save={(v) => save({ trigger: v as typeof rules.trigger })} />
          {rules.trigger === "solved" && (
            <>
              <SavedSelect label={t`Send for`} field="csat_config.scope" data={choices(scopes())} value={rules.scope} save={(v) => save({ scope: v as typeof rules.scope })} />
              <SavedNumber
                label={t`Delay (minutes)`}
                description={t`If a request is reopened before then, no survey is sent until it is solved again.`}
                field="csat_config.delay_minutes"
                min={0}
                max={10080}
                value={rules.delay_minutes}
                save={(delay_minutes) => save({ delay_minutes })}
              />
            </>
          )}
          <SavedSelect label={t`Rating`} field="csat_config.survey_type" data={choices(surveyTypes())} value={rules.survey_type} save={(v) => save({ survey_type: v as typeof rules.survey_type })} />
          <SavedSwitch label={t`Allow comments`} field="csat_config.comment" value={rules.comment} save={(comment) => save({ comment })} />
        </>
      )}
    </Section>
  );
}
