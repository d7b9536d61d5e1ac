package demo

import "strings"

// A person is someone, or some office, that Nora hears from.
type person struct {
	name, email string
}

// first is the name a person signs with.
func (p person) first() string {
	name, _, _ := strings.Cut(p.name, " ")
	return name
}

func noraAtWork() person { return person{"Nora Lindqvist", "nora.lindqvist@tidewater.example"} }
func noraAtHome() person { return person{"Nora Lindqvist", "nora@lindqvist.example"} }

// colleagues are the people of Tidewater, who make tide gauges for harbours.
func colleagues() []person {
	return []person{
		{"Marcus Webb", "marcus.webb@tidewater.example"},
		{"Ines Duarte", "ines.duarte@tidewater.example"},
		{"Jonas Keller", "jonas.keller@tidewater.example"},
		{"Aisha Bello", "aisha.bello@tidewater.example"},
		{"Dmitri Sokolov", "dmitri.sokolov@tidewater.example"},
		{"Hannah Cole", "hannah.cole@tidewater.example"},
		{"Grace Liu", "grace.liu@tidewater.example"},
		{"Owen Price", "owen.price@tidewater.example"},
		{"Rosa Martín", "rosa.martin@tidewater.example"},
	}
}

// friends are family and friends.
func friends() []person {
	return []person{
		{"Sam Okafor", "sam@okafor.example"},
		{"Birgit Lindqvist", "birgit@lindqvist.example"},
		{"Emil Lindqvist", "emil@lindqvist.example"},
		{"Priya Raman", "priya.raman@postbox.example"},
		{"Tom Hale", "tom.hale@postbox.example"},
		{"Yuki Tanaka", "yuki.tanaka@postbox.example"},
		{"Leila Haddad", "leila.haddad@postbox.example"},
		{"Chloé Marchand", "chloe.marchand@postbox.example"},
	}
}

// customers are people of the harbours that Tidewater serves.
func customers() []person {
	return []person{
		{"Rui Carvalho", "rui.carvalho@porto-maritime.example"},
		{"Ingrid Solheim", "ingrid.solheim@oslohavn.example"},
		{"Fiona McRae", "fiona.mcrae@leithdocks.example"},
		{"Pieter de Wit", "pieter.dewit@rijnmond.example"},
	}
}

// A colleague's or an office's address, looked up by the key that a mail topic names.
func office(key string) person {
	switch key {
	case "dentist":
		return person{"Harbourside Dental", "reception@harbourside-dental.example"}
	case "airline":
		return person{"Gannet Air", "bookings@gannet-air.example"}
	case "energy":
		return person{"Brightwater Energy", "billing@brightwater-energy.example"}
	case "broadband":
		return person{"Fernlink Broadband", "care@fernlink.example"}
	case "insurance":
		return person{"Larkfield Insurance", "policies@larkfield.example"}
	case "landlord":
		return person{"Margaret Pritchard", "m.pritchard@cliftonlets.example"}
	case "plumber":
		return person{"Colin Marsh", "colin@marsh-plumbing.example"}
	case "vet":
		return person{"Redcliffe Vets", "hello@redcliffe-vets.example"}
	case "school":
		return person{"St Brendan's Primary", "office@st-brendans.example"}
	case "library":
		return person{"Bristol Libraries", "notices@libraries.example"}
	case "choir":
		return person{"Avon Community Choir", "committee@avon-choir.example"}
	case "bank":
		return person{"Merchant Quay Bank", "statements@merchantquay.example"}
	case "newsletter":
		return person{"The Slow Kitchen", "letters@slowkitchen.example"}
	case "council":
		return person{"Bristol City Services", "noreply@city-services.example"}
	case "build":
		return person{"Tidewater Build", "build@tidewater.example"}
	case "monitor":
		return person{"Tidewater Watch", "watch@tidewater.example"}
	case "travel":
		return person{"Tidewater Travel Desk", "travel@tidewater.example"}
	}
	return person{"Casa do Rio", "stay@casadorio.example"}
}

func projects() []string { return []string{"Harbour", "Beacon", "Lantern", "Kestrel", "Atlas"} }

func harbours() []string {
	return []string{"Porto", "Leith", "Rotterdam", "Oslo", "Cork", "Bergen", "Avonmouth", "Vigo"}
}

func towns() []string {
	return []string{"Bath", "Cardiff", "Exeter", "Falmouth", "Edinburgh", "Bruton", "St Ives", "Wells"}
}

func dishes() []string {
	return []string{
		"lentil soup", "mushroom risotto", "fish pie", "aubergine curry", "leek tart", "kedgeree", "shakshuka", "miso noodles",
		"roast squash", "plum crumble", "cardamom buns", "tomato galette",
	}
}

func films() []string {
	return []string{
		"The Salt Road", "Night Ferry", "A House in Vigo", "Seven Kites", "The Cartographer", "Small Weather", "Late Swim", "Paper Orchard",
	}
}
