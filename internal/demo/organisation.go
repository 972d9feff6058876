package demo

// organisation is a customer of the sample account. Its channel, if any, is given
// by name.
type organisation struct {
	name, domain, channel string
	share                 int // its share of all questions
	language              string
	people                []person
	colleagues            []string // people who are mentioned and never write
	sites, teams          []string
	mood                  map[string]manner // by language
}

// person writes for an organisation.
type person struct{ name, email string }

// manner is how the people of an organisation begin and end a message. An empty
// text adds nothing.
type manner struct{ hello, bye []string }

// organisations are in the order in which they became customers.
var organisations = []organisation{
	{
		name: "Harbor & Pine", domain: "harborpine.test", channel: "harbor-and-pine", share: 78, language: "en", // brisk, knows the product
		people:     []person{{"Ines Duarte", ines}, {"Oskar Nyman", oskar}, {"Leila Haddad", leila}},
		colleagues: []string{"Rui", "Marta", "Henrik", "Aino", "Samir"},
		sites:      []string{"Porto", "Turku", "Lyon", "Gdynia", "Bilbao"},
		teams:      []string{"warehouse", "returns desk", "finance team", "night shift"},
		mood:       map[string]manner{"en": {hello: []string{"", "", "Hi,", "Hi {agent},", "Morning,"}, bye: []string{"", "", "Thanks, {me}", "{me}"}}},
	},
	{
		name: "Fernhill Labs", domain: "fernhill.test", channel: "fernhill-labs", share: 56, language: "de", // curious, precise
		people:     []person{{"Jonas Weber", jonas}, {"Amara Okafor", amara}},
		colleagues: []string{"Dr. Sandhu", "Lotte", "Emeka", "Friederike"},
		sites:      []string{"Jena", "Lagos", "Freiburg", "the old mill"},
		teams:      []string{"lab", "recruitment team", "study office", "data group"},
		mood: map[string]manner{
			"en": {hello: []string{"", "Hi all,", "Hello {agent},", "Quick one:"}, bye: []string{"", "Best, {me}", "No rush. {me}", "Thanks a lot!"}},
			"de": {hello: []string{"", "Hallo zusammen,", "Hallo {agent},"}, bye: []string{"", "Viele Grüße, {me}"}},
		},
	},
	{
		name: "Nordhafen Logistik", domain: "nordhafen.test", share: 46, language: "de", // formal, thorough
		people:     []person{{"Birgit Stahl", "birgit.stahl@nordhafen.test"}, {"Uwe Kallweit", "uwe.kallweit@nordhafen.test"}, {"Deniz Aydın", "deniz.aydin@nordhafen.test"}},
		colleagues: []string{"Herr Brandt", "Frau Petersen", "Frau Öztürk", "Herr Lüders"},
		sites:      []string{"Bremerhaven", "Lübeck", "Halle 4", "Wismar"},
		teams:      []string{"dispatch", "customs office", "early shift", "yard"},
		mood: map[string]manner{
			"en": {hello: []string{"Dear support team,", "Good morning,", "Hello,"}, bye: []string{"Kind regards, {me}", "Best regards from the harbour, {me}", "Regards, {me}"}},
			"de": {hello: []string{"Guten Tag,", "Guten Morgen,", "Sehr geehrtes Support-Team,"}, bye: []string{"Mit freundlichen Grüßen, {me}", "Freundliche Grüße, {me}", "Danke im Voraus, {me}"}},
		},
	},
	{
		name: "Atelier Valmondre", domain: "valmondre.test", share: 40, language: "fr", // in a hurry, hard to please
		people:     []person{{"Claire Aubanel", "claire@valmondre.test"}, {"Bastien Roche", "bastien@valmondre.test"}},
		colleagues: []string{"Margaux", "Thibault", "Solène"},
		sites:      []string{"Grasse", "Nantes", "Bruxelles", "Annecy"},
		teams:      []string{"boutique", "studio", "web shop", "stock room"},
		mood: map[string]manner{
			"en": {hello: []string{"", "Hello?", "Again:", "Urgent for us:"}, bye: []string{"", "We need an answer today.", "Please be quick.", "{me}, Atelier Valmondre"}},
			"fr": {hello: []string{"Bonjour,", "", "Bonjour {agent},"}, bye: []string{"", "Merci de faire vite.", "Cordialement, {me}", "C'est pressé. {me}"}},
		},
	},
	{
		name: "Clínica Solvera", domain: "solvera.test", share: 38, language: "es", // warm, careful with data
		people:     []person{{"Lucía Ferrán", "lucia.ferran@solvera.test"}, {"Mateo Olmedo", "mateo.olmedo@solvera.test"}},
		colleagues: []string{"la doctora Rius", "Nerea", "Pau"},
		sites:      []string{"Girona", "Elche", "Logroño"},
		teams:      []string{"front office", "pharmacy", "day clinic"},
		mood: map[string]manner{
			"en": {hello: []string{"Good morning everyone,", "Hello {agent}, I hope you are well!", "Hello!"}, bye: []string{"Many thanks from all of us at the clinic, {me}", "Thank you so much, {me}", "Warm regards, {me}"}},
			"es": {hello: []string{"Hola {agent}:", "Hola, buenos días.", ""}, bye: []string{"Un saludo cordial, {me}", "Mil gracias, {me}", "Gracias de antemano."}},
		},
	},
	{
		name: "Bergamota Cafés", domain: "bergamota.test", share: 30, language: "pt", // cheerful, new to it
		people:     []person{{"Joana Salgueiro", "joana@bergamota.test"}, {"Tiago Moura", "tiago@bergamota.test"}},
		colleagues: []string{"Beatriz", "o Nuno", "a Rita"},
		sites:      []string{"Aveiro", "Coimbra", "Setúbal", "Faro"},
		teams:      []string{"roastery", "new shop", "bar team"},
		mood: map[string]manner{
			"en": {hello: []string{"Hey there!", "Hi {agent} :)", "Hello from the roastery,"}, bye: []string{"Cheers, {me}", "", "Thanks!! {me}", "Coffee's on us. {me}"}},
			"pt": {hello: []string{"Olá!", "Olá {agent},", "Boa tarde,"}, bye: []string{"", "Obrigado!", "Um abraço, {me}", "Bom trabalho! {me}"}},
		},
	},
}

// words of each language that fill slots.
var words = map[string]struct{ days, months []string }{
	"en": {[]string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"},
		[]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}},
	"de": {[]string{"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"},
		[]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}},
	"fr": {[]string{"lundi", "mardi", "mercredi", "jeudi", "vendredi"},
		[]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"}},
	"es": {[]string{"lunes", "martes", "miércoles", "jueves", "viernes"},
		[]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}},
	"pt": {[]string{"segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira"},
		[]string{"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro", "dezembro"}},
}

// codes are errors that people copy from their screens.
var codes = []string{"403 signature mismatch", "error E-1207", "502 bad gateway", "\"connection reset\"", "error 17 (timeout)", "\"token revoked\"", "E-4410 lock wait"}
