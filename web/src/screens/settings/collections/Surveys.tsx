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
    <Section title="Satisfaction (CSAT)" about="A short survey asks who made a request how it went. A request gets one at most.">
      <SavedSwitch label="Ask how it went" field="csat_config.enabled" value={rules.enabled} save={(enabled) => save({ enabled })} />
      {rules.enabled && (
        <>
          <SavedSelect label="When it is sent" field="csat_config.trigger" data={choices(triggers)} value={rules.trigger} save={(v) => save({ trigger: v as typeof rules.trigger })} />
          {rules.trigger === "solved" && (
            <>
              <SavedSelect label="For which requests" field="csat_config.scope" data={choices(scopes)} value={rules.scope} save={(v) => save({ scope: v as typeof rules.scope })} />
              <SavedNumber
                label="Minutes to wait"
                description="A request that is opened again meanwhile gets none until it is solved again."
                field="csat_config.delay_minutes"
                min={0}
                max={10080}
                value={rules.delay_minutes}
                save={(delay_minutes) => save({ delay_minutes })}
              />
            </>
          )}
          <SavedSelect label="Rating" field="csat_config.survey_type" data={choices(surveyTypes)} value={rules.survey_type} save={(v) => save({ survey_type: v as typeof rules.survey_type })} />
          <SavedSwitch label="A comment can be added" field="csat_config.comment" value={rules.comment} save={(comment) => save({ comment })} />
        </>
      )}
    </Section>
  );
}
